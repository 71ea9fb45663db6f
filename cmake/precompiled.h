#pragma once
// Parsed once for all sources that use torch. Modules, optimizers and the rest of torch/torch.h are
// left out: they would more than double the time that the compiler spends on every source.
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>
