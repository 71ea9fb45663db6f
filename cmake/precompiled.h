#pragma once
// Precompiled for all sources that use torch. Excludes modules, optimizers and the rest of
// torch/torch.h, which would more than double the compile time of every source.
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>
