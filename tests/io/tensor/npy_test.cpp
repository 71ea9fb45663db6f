#include "projnce/io/tensor/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "projnce/io/filesystem/atomic_file.h"
#include "projnce/io/filesystem/regular_file.h"
#include "tests/support/error_message.h"
#include "tests/support/files.h"
#include "tests/support/scratch_dir.h"

namespace projnce::io {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::contents;
using ::testing::ElementsAre;
using testing::error_message_of;
using ::testing::HasSubstr;
using testing::ScratchDir;

template <class T>
std::vector<T> values_of(const NpyFile& file) {
  const auto& array = file.array;
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

/// A version 1.0 file with this header dictionary and number of data bytes.
std::string file_with(std::string dictionary, size_t data_bytes) {
  dictionary += "\n";
  std::string file = "\x93NUMPY";
  file += {1, 0, static_cast<char>(dictionary.size()), 0};
  return file + dictionary + std::string(data_bytes, '\0');
}

/// C-order positions of the stored values of a byte array.
std::vector<size_t> places_of(const NpyView& array) {
  std::vector<size_t> places;
  for_each_value<uint8_t>(array, [&](size_t place, uint8_t) { places.push_back(place); });
  return places;
}

/// Values of a one-dimensional array with these stored elements.
template <class T>
std::vector<T> values_stored_as(const std::string& code, const std::string& stored) {
  auto file = file_with(concat("{'descr': '", code, "', 'fortran_order': False, 'shape': (",
                               stored.size() / sizeof(T), ",), }"),
                        0);
  file += stored;
  std::vector<T> values;
  for_each_value<T>(parse_npy(bytes_of(file), "x.npy"),
                    [&](size_t, T value) { values.push_back(value); });
  return values;
}

std::string error_about(const std::string& file) {
  return error_message_of([&] { parse_npy(bytes_of(file), "x.npy"); });
}

TEST(Npy, RoundTripsEveryWritableType) {
  const ScratchDir dir;
  const std::vector<float> floats = {1.5f, -0.0f, std::numeric_limits<float>::infinity(), 3e-45f};
  const std::vector<double> doubles = {1e300, -2.5, 0.1};
  const std::vector<int64_t> integers = {std::numeric_limits<int64_t>::min(), 7};
  write_npy(dir / "f.npy", floats, {2, 2});
  write_npy(dir / "d.npy", doubles, {3});
  write_npy(dir / "i.npy", integers, {2, 1});

  const auto f = read_npy(dir / "f.npy");
  EXPECT_EQ(f.array.type, NpyType::kFloat32);
  EXPECT_THAT(f.array.shape, ElementsAre(2, 2));
  EXPECT_EQ(values_of<float>(f), floats);
  const auto d = read_npy(dir / "d.npy");
  EXPECT_EQ(d.array.type, NpyType::kFloat64);
  EXPECT_THAT(d.array.shape, ElementsAre(3));
  EXPECT_EQ(values_of<double>(d), doubles);
  const auto i = read_npy(dir / "i.npy");
  EXPECT_EQ(i.array.type, NpyType::kInt64);
  EXPECT_THAT(i.array.shape, ElementsAre(2, 1));
  EXPECT_EQ(values_of<int64_t>(i), integers);
}

TEST(Npy, WritesExactlyTheSpecifiedBytes) {
  const ScratchDir dir;
  write_npy(dir / "a.npy", std::vector<float>{1.0f}, {1});
  std::string expected = "\x93NUMPY";
  expected += {1, 0, 118, 0};
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  expected.resize(127, ' ');
  expected += "\n";
  expected += {0, 0, '\x80', '\x3f'};
  EXPECT_EQ(contents(dir / "a.npy"), expected);
}

TEST(Npy, AlignsTheDataForEveryShape) {
  const ScratchDir dir;
  for (uint64_t columns = 1; columns < 200000; columns *= 7) {
    const std::vector<double> values(columns, 0.5);
    write_npy(dir / "a.npy", values, {1, columns});
    const auto bytes = read_regular_file(dir / "a.npy");
    const auto view = parse_npy(bytes.span(), "a.npy");
    EXPECT_EQ((view.data.data() - bytes.span().data()) % 64, 0);
    EXPECT_EQ(view.shape.back(), columns);
  }
}

TEST(Npy, SupportsEmptyArrays) {
  const ScratchDir dir;
  write_npy(dir / "a.npy", std::span<const float>(), {0, 128});
  EXPECT_THAT(read_npy(dir / "a.npy").array.shape, ElementsAre(0, 128));
}

TEST(Npy, RejectsShapesThatDoNotMatchTheValues) {
  const ScratchDir dir;
  const std::vector<float> values(6);
  for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{}, {5}, {2, 2}, {1, 2, 3}}) {
    EXPECT_THAT(error_message_of([&] { write_npy(dir / "a.npy", values, shape); }),
                HasSubstr("6 values"));
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "a.npy"));
}

TEST(Npy, ReadsFilesOfOtherPrograms) {
  const auto scalar = file_with("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8);
  EXPECT_TRUE(parse_npy(bytes_of(scalar), "x.npy").shape.empty());
  const auto four = file_with("{'descr':'|u1','shape':(2,3,1,2),'fortran_order':False}  ", 12);
  EXPECT_THAT(parse_npy(bytes_of(four), "x.npy").shape, ElementsAre(2, 3, 1, 2));
  const auto quotes = file_with("{\"descr\": \"<i4\", 'fortran_order': False, 'shape': (2,)}", 8);
  EXPECT_EQ(npy_type_name(parse_npy(bytes_of(quotes), "x.npy").type), "int32");
  auto second = file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 4);
  second[6] = 2;
  second.insert(10, 2, '\0');
  EXPECT_THAT(parse_npy(bytes_of(second), "x.npy").shape, ElementsAre(1));
}

TEST(Npy, SupportsCAndFortranOrder) {
  const auto file = file_with("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 6);
  const auto columns = parse_npy(bytes_of(file), "x.npy");
  EXPECT_TRUE(columns.fortran_order);
  EXPECT_THAT(places_of(columns), ElementsAre(0, 3, 1, 4, 2, 5));
  const auto list = file_with("{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }", 3);
  EXPECT_THAT(places_of(parse_npy(bytes_of(list), "x.npy")), ElementsAre(0, 1, 2));
}

TEST(Npy, ReadsIntegersOfEverySize) {
  const std::vector<std::pair<std::string, size_t>> types = {{"|i1", 1}, {"<i2", 2}, {"<i4", 4},
                                                             {"<i8", 8}, {"|u1", 1}, {"<u2", 2},
                                                             {"<u4", 4}, {"<u8", 8}};
  for (const auto& [code, bytes] : types) {
    const auto file = file_with(
        concat("{'descr': '", code, "', 'fortran_order': False, 'shape': (3,), }"), 3 * bytes);
    EXPECT_EQ(parse_npy(bytes_of(file), "x.npy").data.size(), 3 * bytes) << code;
  }
}

TEST(Npy, ReadsBigEndianNumbers) {
  EXPECT_THAT(values_stored_as<float>(">f4", {"\x3f\xc0\0\0\xc0\0\0\0", 8}),
              ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(values_stored_as<double>(">f8", {"\xbf\xe0\0\0\0\0\0\0", 8}), ElementsAre(-0.5));
  EXPECT_THAT(values_stored_as<int16_t>(">i2", "\xff\xfe\x01\x02"), ElementsAre(-2, 258));
  EXPECT_THAT(values_stored_as<int32_t>(">i4", {"\0\0\x01\0", 4}), ElementsAre(256));
  EXPECT_THAT(values_stored_as<int64_t>(">i8", {"\0\0\0\0\0\0\0\x07", 8}), ElementsAre(7));
  EXPECT_THAT(values_stored_as<uint16_t>(">u2", {"\x80\0", 2}), ElementsAre(32768));
  EXPECT_THAT(values_stored_as<uint64_t>(">u8", {"\x80\0\0\0\0\0\0\x01", 8}),
              ElementsAre((1ULL << 63) + 1));
  const auto halves = values_stored_as<Half>(">f2", {"\x3c\0\xc0\0", 4});
  EXPECT_EQ(halves[0], 1.0f);
  EXPECT_EQ(halves[1], -2.0f);
}

TEST(Npy, ConvertsEveryHalfExactly) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const auto half = static_cast<float>(Half{static_cast<uint16_t>(bits)});
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    EXPECT_EQ(std::signbit(half), bits >> 15 == 1) << bits;
    if (exponent == 31) {
      EXPECT_EQ(std::isinf(half), fraction == 0) << bits;
      EXPECT_EQ(std::isnan(half), fraction != 0) << bits;
    } else {
      const double size =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      EXPECT_EQ(std::abs(half), size) << bits;
    }
  }
}

TEST(Npy, ReportsUnsupportedAndInvalidFiles) {
  const auto with = [](const std::string& type, const std::string& order, const std::string& shape,
                       size_t bytes) {
    return file_with(
        concat("{'descr': ", type, ", 'fortran_order': ", order, ", 'shape': ", shape, ", }"),
        bytes);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with("'<f4'", "True", "(2, 2, 1)", 16), "3 dimensions in Fortran order"},
      {with("'|O'", "False", "(2,)", 16), "pickled Python objects"},
      {with("[('a', '<f4')]", "False", "(2,)", 8), "structured array"},
      {with("'|b1'", "False", "(2,)", 2), "the array type '|b1'"},
      {with("'<c8'", "False", "(2,)", 16), "the array type '<c8'"},
      {with("'>c8'", "False", "(2,)", 16), "the array type '>c8'"},
      {with("'>'", "False", "(2,)", 16), "the array type '>'"},
      {with("''", "False", "(2,)", 16), "the array type ''"},
      {with("'>O'", "False", "(2,)", 16), "pickled Python objects"},
      {with("'>f4'", "False", "(3,)", 8), "8 bytes of data, expected 12"},
      {with("'<f2'", "False", "(3,)", 8), "8 bytes of data, expected 6"},
      {with("'<f4'", "False", "(3,)", 8), "8 bytes of data, expected 12"},
      {with("'<f4'", "False", "(1,)", 8), "8 bytes of data, expected 4"},
      {with("'<f4'", "False", "(1, 1, 1, 1, 1)", 4), "more than 4 dimensions"},
      {with("'<f4'", "False", "(4294967296, 4294967296)", 0), "63 bits"},
      {with("'<f4'", "False", "(18446744073709551616,)", 0), "64 bits"},
      {with("'<f4'", "False", "(-1,)", 4), "not negative"},
      {with("'<f4'", "False", "(1)", 4), "a comma after a single size"},
      {with("'<f4'", "False", "(1 1)", 4), "',' or ')'"},
      {with("'<f4'", "0", "(1,)", 4), "'False'"},
      {with("f4", "False", "(1,)", 4), "a string"},
      {file_with("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", 4), "a single 'descr'"},
      {file_with("{'descr': '<f4', 'shape': (1,)}", 4), "'fortran_order'"},
      {file_with("{'descr': '<f4', 'os': (1,)}", 4), "unknown field 'os'"},
      {with("'<f4'", "False", "(1,), } + {", 4), "a newline at the end"},
  };
  for (const auto& [file, reason] : cases) {
    EXPECT_THAT(error_about(file), AllOf(HasSubstr("x.npy"), HasSubstr(reason)));
  }
}

TEST(Npy, RejectsEveryTruncation) {
  const auto whole = file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12);
  EXPECT_EQ(error_about(whole), "nothing was wrong");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error_about(whole.substr(0, size)), HasSubstr("x.npy")) << size;
  }
  EXPECT_THAT(error_about(whole + "x"), HasSubstr("13 bytes of data"));
}

TEST(Npy, IsReadByNumpy) {
  if (std::system("../script/python -c 'import numpy' 2>/dev/null") != 0) {
    GTEST_SKIP() << "script/python has no numpy; `script/setup test` installs it";
  }
  const ScratchDir dir;
  write_npy(dir / "f.npy", std::vector<float>{1.5f, 2, 3, 4, 5, 6}, {2, 3});
  write_npy(dir / "i.npy", std::vector<int64_t>{-1, 1LL << 60}, {2});
  write_file_atomically(dir / "check.py",
                        "import numpy, sys\n"
                        "f, i = (numpy.load(sys.argv[1] + n) for n in ('/f.npy', '/i.npy'))\n"
                        "assert f.dtype == numpy.float32 and i.dtype == numpy.int64\n"
                        "assert f.tolist() == [[1.5, 2, 3], [4, 5, 6]]\n"
                        "assert i.tolist() == [-1, 2**60]\n"
                        "numpy.save(sys.argv[1] + '/back.npy', f.astype('float64'))\n"
                        "numpy.save(sys.argv[1] + '/half.npy', f.astype('>f2').T)\n");
  const auto command = concat("../script/python ", (dir / "check.py").string(), " ", dir.path());
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto back = read_npy(dir / "back.npy");
  EXPECT_THAT(back.array.shape, ElementsAre(2, 3));
  EXPECT_THAT(values_of<double>(back), ElementsAre(1.5, 2, 3, 4, 5, 6));
  const auto half = read_npy(dir / "half.npy");
  std::vector<float> turned(6);
  for_each_value<Half>(half.array, [&](size_t place, Half value) { turned[place] = value; });
  EXPECT_THAT(half.array.shape, ElementsAre(3, 2));
  EXPECT_THAT(turned, ElementsAre(1.5, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace projnce::io
