#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
static int row(void *unused, int columns, char **values, char **names) {
  (void)unused, (void)names;
  for (int i = 0; i < columns; i++)
    printf("%s ", values[i] ? values[i] : "-");
  putchar('\n');
  return 0;
}
static void run(sqlite3 *base, const char *sql) {
  char *error = NULL;
  if (sqlite3_exec(base, sql, row, NULL, &error) != SQLITE_OK)
    printf("error: %s\n", error), exit(1);
}
int main(int argc, char **argv) {
  sqlite3 *base;
  char text[256];
  int size = argc > 1 ? atoi(argv[1]) : 400;
  sqlite3_open(":memory:", &base);
  run(base, "create table t(a integer primary key, b integer, c text); create index tb on t(b); begin");
  for (int i = 0; i < size; i++) {
    snprintf(text, sizeof text, "insert into t values(%d, %d, 'row %d')", i, i * 7919 % 1009, i % 37);
    run(base, text);
  }
  run(base, "commit; select count(*), sum(b), max(c) from t; select c, count(*) from t where b > 500 group by c order by 2 desc, 1 limit 5;"
            "select sum(x.b * y.a) from t x join t y on x.a = y.b where x.c like 'row 1%'; delete from t where b % 3 = 0; vacuum;"
            "select count(*) from t");
  sqlite3_close(base);
}
