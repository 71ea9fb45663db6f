#pragma once

namespace projnce::bench {

/// projnce-bench --compare ...: projnce beside other implementations. Returns the exit status: 1
/// where a contestant failed or contestants disagree, 2 where the arguments are wrong.
int compare_main(int argc, char** argv);

}  // namespace projnce::bench
