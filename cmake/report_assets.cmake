# Script and style of the report page: bundled from web/ if its npm packages are installed (`npm ci` in
# web/, which script/setup runs), else taken from web/dist.
find_program(PROJNCE_NODE node)
mark_as_advanced(PROJNCE_NODE)

if(PROJNCE_NODE AND EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/esbuild)
  set(report_directory ${PROJECT_BINARY_DIR}/web)
  file(GLOB_RECURSE report_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.ts
                                                   ${PROJECT_SOURCE_DIR}/web/src/*.css)
  add_custom_command(
    OUTPUT ${report_directory}/report.js ${report_directory}/report.css
    COMMAND ${PROJNCE_NODE} build.mjs --out ${report_directory}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/web
    DEPENDS ${report_sources} ${PROJECT_SOURCE_DIR}/web/build.mjs
            ${PROJECT_SOURCE_DIR}/web/package-lock.json
    COMMENT "Bundling the report page" VERBATIM)
elseif(EXISTS ${PROJECT_SOURCE_DIR}/web/dist/report.js)
  message(STATUS "Using the report page in web/dist: node or its packages are not installed")
  set(report_directory ${PROJECT_SOURCE_DIR}/web/dist)
else()
  message(WARNING "Building without the report page: there is neither web/dist nor node with the "
                  "packages of web/package.json. `projnce report` will fail.")
  set(report_directory ${PROJECT_BINARY_DIR}/web)
  file(WRITE ${report_directory}/report.js "")
  file(WRITE ${report_directory}/report.css "")
endif()

# A library of its own, compiled without ccache: in its depend mode, ccache does not see that .incbin reads
# these files, and would return an object with the page of another version.
set(report_assets ${PROJECT_SOURCE_DIR}/projnce/report/page/report_assets.cpp)
add_library(projnce_report_assets OBJECT ${report_assets})
set_source_files_properties(${report_assets} PROPERTIES
  OBJECT_DEPENDS "${PROJECT_SOURCE_DIR}/web/report.html;${report_directory}/report.js;${report_directory}/report.css")
target_compile_definitions(projnce_report_assets PRIVATE
  PROJNCE_REPORT_TEMPLATE="${PROJECT_SOURCE_DIR}/web/report.html"
  PROJNCE_REPORT_SCRIPT="${report_directory}/report.js"
  PROJNCE_REPORT_STYLE="${report_directory}/report.css")
target_link_libraries(projnce_report_assets PRIVATE $<BUILD_INTERFACE:projnce_flags> $<BUILD_INTERFACE:projnce_hardened>)
target_include_directories(projnce_report_assets PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_features(projnce_report_assets PRIVATE cxx_std_20)
set_target_properties(projnce_report_assets PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_COMPILER_LAUNCHER "" UNITY_BUILD OFF)
target_sources(projnce_files PRIVATE $<TARGET_OBJECTS:projnce_report_assets>)
