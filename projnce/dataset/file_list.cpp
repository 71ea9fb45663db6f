#include "projnce/dataset/file_list.h"

#include "projnce/io/image_file.h"

namespace projnce {

Sample FileList::decode(int64_t index) const {
  return read_image(files_[index], sample_name(index));
}

}  // namespace projnce
