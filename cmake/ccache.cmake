# Uses ccache if it is installed. The sloppiness settings are what ccache needs to cache sources that are
# compiled with a precompiled header. Depend mode saves a run of the preprocessor, a tenth of a cold build.
find_program(PROJNCE_CCACHE ccache)
if(PROJNCE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${PROJNCE_CCACHE})
endif()
