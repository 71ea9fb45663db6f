#include "projnce/report/canvas.h"

namespace projnce {

Colour light_colour(Ink ink) {
  switch (ink) {
    case Ink::kText:
      return {0x22, 0x21, 0x2A};
    case Ink::kSoft:
      return {0x6C, 0x6A, 0x75};
    case Ink::kLine:
      return {0xE4, 0xE1, 0xDC};
    case Ink::kPanel:
      return {0xFF, 0xFF, 0xFF};
    case Ink::kFound:
      return {0x2C, 0x7A, 0x3F};
    case Ink::kMissed:
      return {0xB3, 0x40, 0x2A};
    case Ink::kGround:
      break;
  }
  return {0xFB, 0xFA, 0xF8};
}

}  // namespace projnce
