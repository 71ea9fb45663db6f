#include "projnce/dataset/concat.h"

#include <algorithm>
#include <utility>

#include "projnce/core/error.h"

namespace projnce {

ConcatDataset::ConcatDataset(std::vector<DatasetPtr> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) fail("there are no datasets to concatenate");
  int64_t end = 0;
  for (const auto& part : parts_) {
    if (part->kind() != kind() || part->class_names() != class_names()) {
      fail("datasets of different kinds or classes cannot be concatenated");
    }
    end += part->size();
    ends_.push_back(end);
  }
}

ConcatDataset::Place ConcatDataset::find(int64_t index) const {
  if (index < 0 || index >= size()) {
    fail("there is no sample ", index, ", expected 0 to ", size() - 1);
  }
  const auto part = std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin();
  const int64_t begin = part == 0 ? 0 : ends_[static_cast<size_t>(part - 1)];
  return {*parts_[static_cast<size_t>(part)], index - begin};
}

int64_t ConcatDataset::label(int64_t index) const {
  const auto [part, at] = find(index);
  return part.label(at);
}

std::string ConcatDataset::sample_name(int64_t index) const {
  const auto [part, at] = find(index);
  return part.sample_name(at);
}

Sample ConcatDataset::decode(int64_t index) const {
  const auto [part, at] = find(index);
  return part.decode(at);
}

Sample ConcatDataset::decode_part(int64_t index, const PictureNeeds& needs) const {
  const auto [part, at] = find(index);
  return part.decode_part(at, needs);
}

std::string ConcatDataset::content_id(int64_t index) const {
  const auto [part, at] = find(index);
  return part.content_id(at);
}

}  // namespace projnce
