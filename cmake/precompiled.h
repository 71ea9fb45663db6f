#pragma once
// Parsed once for all sources that use LibTorch (about 17 s a file without it).
#include <torch/torch.h>
