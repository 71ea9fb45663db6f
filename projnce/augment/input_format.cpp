#include "projnce/augment/input_format.h"

#include "projnce/core/error.h"

namespace projnce {

int InputFormat::channels() const {
  switch (kind) {
    case SampleKind::kImage:
      return picture.channels;
    case SampleKind::kVector:
      return vector_size;
    case SampleKind::kSound:
      break;
  }
  return 1;
}

int InputFormat::height() const {
  if (kind == SampleKind::kVector) return 1;
  return kind == SampleKind::kImage ? picture.image_size : mel.mels;
}

int InputFormat::width() const {
  if (kind == SampleKind::kVector) return 1;
  return kind == SampleKind::kImage ? picture.image_size : static_cast<int>(mel.frames());
}

void check_input_format(const InputFormat& format) {
  if (format.kind == SampleKind::kImage) return check_view_format(format.picture);
  if (format.kind == SampleKind::kSound) check_mel_options(format.mel, "input");
  if (format.kind == SampleKind::kVector && format.vector_size < 1) {
    fail("a vector has ", format.vector_size, " numbers, expected at least 1");
  }
  if (!(format.std > 0)) fail("std is ", format.std, ", expected a number above 0");
}

}  // namespace projnce
