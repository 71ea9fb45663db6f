// The losses as operators of torch: see loss_kernels.h. Their fake kernels and autograd formulas
// are registered in Python, on top of these.
#include <torch/library.h>

#include <memory>

#include "python/ops/eager_losses.h"
#include "python/ops/loss_kernels.h"

namespace projnce::ops {

namespace {

std::string name_in(const std::string& schema) {
  return schema.substr(0, schema.find('('));
}

torch::CppFunction kernel_of(const LossOperator& loss, LossKernel::Kind kind) {
  return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<LossKernel>(loss, kind));
}

void define(torch::Library& library) {
  library.def(torch::schema("part_names() -> str[]"));
  library.impl("part_names", torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd,
                                             [] { return part_names(); }));
  for (const auto& loss : loss_operators()) {
    for (const auto& [schema, kind] : schemas_of(loss)) {
      library.def(torch::schema(schema.c_str()), {at::Tag::pt2_compliant_tag});
      if (kind != LossKernel::Kind::kOptions) continue;
      // Without a tensor among its arguments it is called for every device and in every mode.
      library.impl(
          name_in(schema).c_str(),
          torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, kernel_of(loss, kind)));
    }
    library.def(torch::schema(eager_schema(loss).c_str()), {at::Tag::pt2_compliant_tag});
    library.impl((loss.name + "_eager").c_str(),
                 torch::dispatch(c10::DispatchKey::CompositeImplicitAutograd,
                                 torch::CppFunction::makeFromBoxedFunctor(
                                     std::make_unique<EagerLossKernel>(loss))));
  }
}

/// The losses choose their kernels by the device of the tensors.
void implement(torch::Library& library) {
  for (const auto& loss : loss_operators()) {
    for (const auto& [schema, kind] : schemas_of(loss)) {
      if (kind == LossKernel::Kind::kOptions) continue;
      library.impl(name_in(schema).c_str(), kernel_of(loss, kind));
    }
  }
}

}  // namespace

}  // namespace projnce::ops

TORCH_LIBRARY_FRAGMENT(projnce, library) {
  projnce::ops::define(library);
}
TORCH_LIBRARY_IMPL(projnce, CPU, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, CUDA, library) {
  projnce::ops::implement(library);
}
// Sparse tensors are rejected with an error message.
TORCH_LIBRARY_IMPL(projnce, SparseCPU, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, SparseCsrCPU, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, SparseCUDA, library) {
  projnce::ops::implement(library);
}
TORCH_LIBRARY_IMPL(projnce, SparseCsrCUDA, library) {
  projnce::ops::implement(library);
}
