# Uses ccache where it is installed. The sloppiness settings are what ccache needs to cache sources
# that are compiled with a precompiled header.
find_program(PROJNCE_CCACHE ccache)
if(PROJNCE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${PROJNCE_CCACHE})
endif()
