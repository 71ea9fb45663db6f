#include "projnce/io/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "projnce/core/error.h"
#include "projnce/io/base64.h"

namespace projnce {

namespace {

constexpr size_t kDigestBlock = size_t{1} << 20;

/// A digest that grows with the bytes it is given.
class Digester {
 public:
  explicit Digester(DigestKind kind) : kind_(kind), state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    const auto* method = kind == DigestKind::kMd5 ? EVP_md5() : EVP_sha256();
    check(state_ && EVP_DigestInit_ex(state_.get(), method, nullptr) == 1);
  }

  void add(std::span<const std::byte> bytes) {
    check(EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::vector<uint8_t> finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(state_.get(), digest.data(), &size) == 1);
    return {digest.begin(), digest.begin() + size};
  }

 private:
  void check(bool worked) const {
    if (!worked) fail_working("this system's OpenSSL computes no ", digest_name(kind_), " digests");
  }

  DigestKind kind_;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state_;
};

}  // namespace

std::string file_digest(const RegularFile& file, DigestKind kind,
                        const std::function<void(uint64_t)>& on_bytes) {
  Digester digester(kind);
  std::vector<std::byte> block(std::min<uint64_t>(file.size, kDigestBlock));
  for (uint64_t done = 0; done < file.size;) {
    const auto wanted = std::span(block).first(std::min<uint64_t>(block.size(), file.size - done));
    const size_t count = file.read_at(done, wanted);
    if (count < wanted.size()) {
      fail_working(file.name, " became shorter while it was read: ", done + count,
                   " bytes instead of ", file.size);
    }
    digester.add(wanted);
    done += count;
    if (on_bytes) on_bytes(count);
  }
  return fmt::format("{:02x}", fmt::join(digester.finish(), ""));
}

std::vector<uint8_t> sha256(std::string_view bytes) {
  Digester digester(DigestKind::kSha256);
  digester.add(std::as_bytes(std::span(bytes)));
  return digester.finish();
}

const char* digest_name(DigestKind kind) {
  return kind == DigestKind::kMd5 ? "MD5" : "SHA-256";
}

}  // namespace projnce
