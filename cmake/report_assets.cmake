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
set(PROJNCE_REPORT_FILES ${PROJECT_SOURCE_DIR}/web/report.html ${report_directory}/report.js
                       ${report_directory}/report.css)
set(PROJNCE_REPORT_DEFINITIONS PROJNCE_REPORT_TEMPLATE="${PROJECT_SOURCE_DIR}/web/report.html"
                             PROJNCE_REPORT_SCRIPT="${report_directory}/report.js"
                             PROJNCE_REPORT_STYLE="${report_directory}/report.css")
