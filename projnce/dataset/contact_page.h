#pragma once

#include <string>

#include "projnce/dataset/contact_sheet.h"

namespace projnce {

/// The sheet as one HTML page that needs nothing else: no scripts, no files, no network.
/// `title` and the names of classes may hold any characters.
std::string contact_page(const ContactSheet& sheet, const std::string& title,
                         const std::string& summary);

}  // namespace projnce
