// The shapes of wgmma, for device/wgmma.hpp only: 64 rows by 8 to 256 columns, and for each the numbers of its
// operands in an asm statement, where the accumulators come first.
#pragma once

// The first 4 j accumulators, by number …
#define CAIRN_REGISTERS_1 "%0, %1, %2, %3"
#define CAIRN_REGISTERS_2 CAIRN_REGISTERS_1 ", %4, %5, %6, %7"
#define CAIRN_REGISTERS_3 CAIRN_REGISTERS_2 ", %8, %9, %10, %11"
#define CAIRN_REGISTERS_4 CAIRN_REGISTERS_3 ", %12, %13, %14, %15"
#define CAIRN_REGISTERS_5 CAIRN_REGISTERS_4 ", %16, %17, %18, %19"
#define CAIRN_REGISTERS_6 CAIRN_REGISTERS_5 ", %20, %21, %22, %23"
#define CAIRN_REGISTERS_7 CAIRN_REGISTERS_6 ", %24, %25, %26, %27"
#define CAIRN_REGISTERS_8 CAIRN_REGISTERS_7 ", %28, %29, %30, %31"
#define CAIRN_REGISTERS_9 CAIRN_REGISTERS_8 ", %32, %33, %34, %35"
#define CAIRN_REGISTERS_10 CAIRN_REGISTERS_9 ", %36, %37, %38, %39"
#define CAIRN_REGISTERS_11 CAIRN_REGISTERS_10 ", %40, %41, %42, %43"
#define CAIRN_REGISTERS_12 CAIRN_REGISTERS_11 ", %44, %45, %46, %47"
#define CAIRN_REGISTERS_13 CAIRN_REGISTERS_12 ", %48, %49, %50, %51"
#define CAIRN_REGISTERS_14 CAIRN_REGISTERS_13 ", %52, %53, %54, %55"
#define CAIRN_REGISTERS_15 CAIRN_REGISTERS_14 ", %56, %57, %58, %59"
#define CAIRN_REGISTERS_16 CAIRN_REGISTERS_15 ", %60, %61, %62, %63"
#define CAIRN_REGISTERS_17 CAIRN_REGISTERS_16 ", %64, %65, %66, %67"
#define CAIRN_REGISTERS_18 CAIRN_REGISTERS_17 ", %68, %69, %70, %71"
#define CAIRN_REGISTERS_19 CAIRN_REGISTERS_18 ", %72, %73, %74, %75"
#define CAIRN_REGISTERS_20 CAIRN_REGISTERS_19 ", %76, %77, %78, %79"
#define CAIRN_REGISTERS_21 CAIRN_REGISTERS_20 ", %80, %81, %82, %83"
#define CAIRN_REGISTERS_22 CAIRN_REGISTERS_21 ", %84, %85, %86, %87"
#define CAIRN_REGISTERS_23 CAIRN_REGISTERS_22 ", %88, %89, %90, %91"
#define CAIRN_REGISTERS_24 CAIRN_REGISTERS_23 ", %92, %93, %94, %95"
#define CAIRN_REGISTERS_25 CAIRN_REGISTERS_24 ", %96, %97, %98, %99"
#define CAIRN_REGISTERS_26 CAIRN_REGISTERS_25 ", %100, %101, %102, %103"
#define CAIRN_REGISTERS_27 CAIRN_REGISTERS_26 ", %104, %105, %106, %107"
#define CAIRN_REGISTERS_28 CAIRN_REGISTERS_27 ", %108, %109, %110, %111"
#define CAIRN_REGISTERS_29 CAIRN_REGISTERS_28 ", %112, %113, %114, %115"
#define CAIRN_REGISTERS_30 CAIRN_REGISTERS_29 ", %116, %117, %118, %119"
#define CAIRN_REGISTERS_31 CAIRN_REGISTERS_30 ", %120, %121, %122, %123"
#define CAIRN_REGISTERS_32 CAIRN_REGISTERS_31 ", %124, %125, %126, %127"

// … and as operands.
#define CAIRN_FOUR(i) "+f"(acc[i]), "+f"(acc[(i) + 1]), "+f"(acc[(i) + 2]), "+f"(acc[(i) + 3])
#define CAIRN_ACC_1 CAIRN_FOUR(0)
#define CAIRN_ACC_2 CAIRN_ACC_1, CAIRN_FOUR(4)
#define CAIRN_ACC_3 CAIRN_ACC_2, CAIRN_FOUR(8)
#define CAIRN_ACC_4 CAIRN_ACC_3, CAIRN_FOUR(12)
#define CAIRN_ACC_5 CAIRN_ACC_4, CAIRN_FOUR(16)
#define CAIRN_ACC_6 CAIRN_ACC_5, CAIRN_FOUR(20)
#define CAIRN_ACC_7 CAIRN_ACC_6, CAIRN_FOUR(24)
#define CAIRN_ACC_8 CAIRN_ACC_7, CAIRN_FOUR(28)
#define CAIRN_ACC_9 CAIRN_ACC_8, CAIRN_FOUR(32)
#define CAIRN_ACC_10 CAIRN_ACC_9, CAIRN_FOUR(36)
#define CAIRN_ACC_11 CAIRN_ACC_10, CAIRN_FOUR(40)
#define CAIRN_ACC_12 CAIRN_ACC_11, CAIRN_FOUR(44)
#define CAIRN_ACC_13 CAIRN_ACC_12, CAIRN_FOUR(48)
#define CAIRN_ACC_14 CAIRN_ACC_13, CAIRN_FOUR(52)
#define CAIRN_ACC_15 CAIRN_ACC_14, CAIRN_FOUR(56)
#define CAIRN_ACC_16 CAIRN_ACC_15, CAIRN_FOUR(60)
#define CAIRN_ACC_17 CAIRN_ACC_16, CAIRN_FOUR(64)
#define CAIRN_ACC_18 CAIRN_ACC_17, CAIRN_FOUR(68)
#define CAIRN_ACC_19 CAIRN_ACC_18, CAIRN_FOUR(72)
#define CAIRN_ACC_20 CAIRN_ACC_19, CAIRN_FOUR(76)
#define CAIRN_ACC_21 CAIRN_ACC_20, CAIRN_FOUR(80)
#define CAIRN_ACC_22 CAIRN_ACC_21, CAIRN_FOUR(84)
#define CAIRN_ACC_23 CAIRN_ACC_22, CAIRN_FOUR(88)
#define CAIRN_ACC_24 CAIRN_ACC_23, CAIRN_FOUR(92)
#define CAIRN_ACC_25 CAIRN_ACC_24, CAIRN_FOUR(96)
#define CAIRN_ACC_26 CAIRN_ACC_25, CAIRN_FOUR(100)
#define CAIRN_ACC_27 CAIRN_ACC_26, CAIRN_FOUR(104)
#define CAIRN_ACC_28 CAIRN_ACC_27, CAIRN_FOUR(108)
#define CAIRN_ACC_29 CAIRN_ACC_28, CAIRN_FOUR(112)
#define CAIRN_ACC_30 CAIRN_ACC_29, CAIRN_FOUR(116)
#define CAIRN_ACC_31 CAIRN_ACC_30, CAIRN_FOUR(120)
#define CAIRN_ACC_32 CAIRN_ACC_31, CAIRN_FOUR(124)

// X(columns, columns / 8, the seven operands after the accumulators)
#define CAIRN_WGMMA_SHAPES(X)                                        \
  X(8, 1, "%4", "%5", "%6", "%7", "%8", "%9", "%10")                 \
  X(16, 2, "%8", "%9", "%10", "%11", "%12", "%13", "%14")            \
  X(24, 3, "%12", "%13", "%14", "%15", "%16", "%17", "%18")          \
  X(32, 4, "%16", "%17", "%18", "%19", "%20", "%21", "%22")          \
  X(40, 5, "%20", "%21", "%22", "%23", "%24", "%25", "%26")          \
  X(48, 6, "%24", "%25", "%26", "%27", "%28", "%29", "%30")          \
  X(56, 7, "%28", "%29", "%30", "%31", "%32", "%33", "%34")          \
  X(64, 8, "%32", "%33", "%34", "%35", "%36", "%37", "%38")          \
  X(72, 9, "%36", "%37", "%38", "%39", "%40", "%41", "%42")          \
  X(80, 10, "%40", "%41", "%42", "%43", "%44", "%45", "%46")         \
  X(88, 11, "%44", "%45", "%46", "%47", "%48", "%49", "%50")         \
  X(96, 12, "%48", "%49", "%50", "%51", "%52", "%53", "%54")         \
  X(104, 13, "%52", "%53", "%54", "%55", "%56", "%57", "%58")        \
  X(112, 14, "%56", "%57", "%58", "%59", "%60", "%61", "%62")        \
  X(120, 15, "%60", "%61", "%62", "%63", "%64", "%65", "%66")        \
  X(128, 16, "%64", "%65", "%66", "%67", "%68", "%69", "%70")        \
  X(136, 17, "%68", "%69", "%70", "%71", "%72", "%73", "%74")        \
  X(144, 18, "%72", "%73", "%74", "%75", "%76", "%77", "%78")        \
  X(152, 19, "%76", "%77", "%78", "%79", "%80", "%81", "%82")        \
  X(160, 20, "%80", "%81", "%82", "%83", "%84", "%85", "%86")        \
  X(168, 21, "%84", "%85", "%86", "%87", "%88", "%89", "%90")        \
  X(176, 22, "%88", "%89", "%90", "%91", "%92", "%93", "%94")        \
  X(184, 23, "%92", "%93", "%94", "%95", "%96", "%97", "%98")        \
  X(192, 24, "%96", "%97", "%98", "%99", "%100", "%101", "%102")     \
  X(200, 25, "%100", "%101", "%102", "%103", "%104", "%105", "%106") \
  X(208, 26, "%104", "%105", "%106", "%107", "%108", "%109", "%110") \
  X(216, 27, "%108", "%109", "%110", "%111", "%112", "%113", "%114") \
  X(224, 28, "%112", "%113", "%114", "%115", "%116", "%117", "%118") \
  X(232, 29, "%116", "%117", "%118", "%119", "%120", "%121", "%122") \
  X(240, 30, "%120", "%121", "%122", "%123", "%124", "%125", "%126") \
  X(248, 31, "%124", "%125", "%126", "%127", "%128", "%129", "%130") \
  X(256, 32, "%128", "%129", "%130", "%131", "%132", "%133", "%134")
