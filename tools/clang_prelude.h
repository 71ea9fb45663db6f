// For clang-tidy and clangd only, which include this before anything else (tools/tidy does).
//
// LibTorch 1.13 declares std::vector<IValue> while IValue is still incomplete. libstdc++ 12 makes
// vector's members constexpr in C++20, and clang then instantiates them too early and gives up; GCC
// does not. So the first inclusion of <vector> happens here, with the constexpr taken away.
#ifdef __clang__
#include <bits/stl_algobase.h>
#include <bits/stl_uninitialized.h>
#include <memory>
#include <string>
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 projnce_tidy_fill_a1
#include <vector>
#undef __fill_a1
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
#endif
