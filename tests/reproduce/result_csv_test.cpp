#include "projnce/reproduce/result_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reproduce/made_result.h"

namespace projnce::reproduce {
namespace {

using ::testing::HasSubstr;

TEST(ResultCsv, HasOneLinePerRun) {
  EXPECT_EQ(result_csv(testing::made_result()),
            "name,scale,measure,dataset,condition,method,seed,value,unit,mean,deviation,paper,"
            "difference,directory\n"
            "table4,laptop,centroid,stl10,clean,simclr,1,0.365,share,0.369,0.004,0.744,-0.375,"
            "runs/stl10/simclr/seed-1\n"
            "table4,laptop,centroid,stl10,clean,simclr,2,0.369,share,0.369,0.004,0.744,-0.375,"
            "runs/stl10/simclr/seed-2\n"
            "table4,laptop,centroid,stl10,clean,simclr,3,0.373,share,0.369,0.004,0.744,-0.375,"
            "runs/stl10/simclr/seed-3\n"
            "table4,laptop,centroid,cifar10,clean,simclr,1,0.5,share,0.5,,,,runs/c/s/seed-1\n"
            "table4,laptop,centroid,stl10,clean,bold,1,0.25,share,0.26,0.0141421,0.257,0.003,"
            "runs/stl10/bold/seed-1\n"
            "table4,laptop,centroid,stl10,clean,bold,2,0.27,share,0.26,0.0141421,0.257,0.003,"
            "runs/stl10/bold/seed-2\n"
            "table4,laptop,centroid,stl10,clean,projnce,1,0.4,share,0.41,0.01,0.4,0.01,"
            "runs/stl10/projnce/seed-1\n"
            "table4,laptop,centroid,stl10,clean,projnce,2,0.41,share,0.41,0.01,0.4,0.01,"
            "runs/stl10/projnce/seed-2\n"
            "table4,laptop,centroid,stl10,clean,projnce,3,0.42,share,0.41,0.01,0.4,0.01,"
            "runs/stl10/projnce/seed-3\n");
}

TEST(ResultCsv, QuotesNamesAndWritesInformationInNats) {
  auto result = testing::made_result();
  result.tables.front().unit = ResultUnit::kNats;
  result.tables.front().rows[0].method = "a,\"b\"";
  result.tables.front().cells[0][1].runs.front().directory = "=runs";
  EXPECT_THAT(result_csv(result), HasSubstr(",\"a,\"\"b\"\"\",1,0.5,nats,0.5,,,,'=runs\n"));
}

}  // namespace
}  // namespace projnce::reproduce
