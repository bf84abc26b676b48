#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int count;
    if (scanf("%d", &count) != 1)
        return 1;
    long long sum = 0, number;
    while (count-- > 0 && scanf("%lld", &number) == 1)
        sum += llabs(number);
    printf("%lld\n", sum);
}
