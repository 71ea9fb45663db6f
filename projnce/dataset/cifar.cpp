#include "projnce/dataset/cifar.h"

#include <utility>

#include "projnce/core/error.h"
#include "projnce/dataset/text_list.h"

namespace projnce {

namespace {

constexpr int kCifarSide = 32;

class CifarDataset : public Dataset {
 public:
  CifarDataset(std::shared_ptr<const RecordFiles> records, std::vector<std::string> class_names,
               std::vector<int64_t> labels)
      : records_(std::move(records)), names_(std::move(class_names)), labels_(std::move(labels)) {}

  int64_t size() const override { return records_->size(); }
  const std::vector<std::string>& class_names() const override { return names_; }
  int64_t label(int64_t index) const override { return labels_.at(static_cast<size_t>(index)); }
  std::string sample_name(int64_t index) const override { return records_->name(index); }
  Sample decode(int64_t index) const override {
    return image_from_planes(records_->record(index).last(kCifarPixelBytes), kCifarSide,
                             PlaneOrder::kRows);
  }

 private:
  std::shared_ptr<const RecordFiles> records_;
  std::vector<std::string> names_;
  std::vector<int64_t> labels_;
};

}  // namespace

std::vector<int64_t> cifar_labels(const RecordFiles& records, size_t byte, size_t classes) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < records.size(); ++i) {
    const auto label = records.record(i)[byte];
    if (label >= classes) {
      fail(records.place(i), " has the label ", int{label}, ", expected 0 to ", classes - 1);
    }
    labels.push_back(label);
  }
  return labels;
}

DatasetPtr make_cifar_dataset(std::shared_ptr<const RecordFiles> records,
                              std::vector<std::string> class_names, std::vector<int64_t> labels) {
  return std::make_shared<CifarDataset>(std::move(records), std::move(class_names),
                                        std::move(labels));
}

std::vector<std::string> names_or_official(const FileTree& tree, const std::string& file,
                                           const std::vector<std::string>& official,
                                           std::vector<std::string>& remarks) {
  if (tree.has_file(file)) return read_name_list(tree, file, official.size());
  remarks.push_back(file + " is missing: the classes have their official names");
  return official;
}

}  // namespace projnce
