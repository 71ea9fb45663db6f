#pragma once

namespace projnce::bench {

/// projnce-bench --compare ...: compares projnce with other implementations. Returns the exit
/// status: 1 if a contestant failed or results disagree, 2 if the arguments are invalid.
int compare_main(int argc, char** argv);

}  // namespace projnce::bench
