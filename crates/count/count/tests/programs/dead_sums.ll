; Reduced from a random program: sums of nested loops that die together, of which one takes the next along.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@g_28 = external global i32
@g_65 = external global i16
@g_71 = external global i32

define i8 @func_51() {
  store i32 0, ptr @g_28, align 4
  br label %1

1:                                                ; preds = %22, %0
  %2 = phi i32 [ %24, %22 ], [ 0, %0 ]
  %3 = icmp ule i32 %2, 1
  br i1 %3, label %4, label %25

4:                                                ; preds = %1
  store i32 0, ptr @g_71, align 4
  br label %5

5:                                                ; preds = %19, %4
  %6 = phi i32 [ %20, %19 ], [ 0, %4 ]
  %7 = icmp sle i32 %6, 4
  br i1 %7, label %8, label %22

8:                                                ; preds = %5
  store i16 0, ptr @g_65, align 2
  br label %9

9:                                                ; preds = %13, %8
  %10 = phi i16 [ %15, %13 ], [ 0, %8 ]
  %11 = zext i16 %10 to i32
  %12 = icmp sle i32 %11, 4
  br i1 %12, label %13, label %19

13:                                               ; preds = %9
  %14 = call i16 @safe_sub_func_uint16_t_u_u()
  store volatile i32 0, ptr null, align 4
  %15 = load i16, ptr @g_65, align 2
  %16 = zext i16 %15 to i32
  %17 = add i32 %16, 1
  %18 = trunc i32 %17 to i16
  store i16 %18, ptr @g_65, align 2
  br label %9

19:                                               ; preds = %9
  %20 = load i32, ptr @g_71, align 4
  %21 = add i32 %20, 1
  store i32 %21, ptr @g_71, align 4
  br label %5

22:                                               ; preds = %5
  %23 = load i32, ptr @g_28, align 4
  %24 = add i32 %23, 1
  store i32 1, ptr @g_28, align 4
  br label %1

25:                                               ; preds = %1
  ret i8 0
}

define i16 @safe_sub_func_uint16_t_u_u() {
  ret i16 0
}
