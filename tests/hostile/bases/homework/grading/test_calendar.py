import json

import calendar

YEARS = '{"2000": true, "1900": false, "2023": false, "2024": true}'


def test_years():
    for year, leap in json.loads(YEARS).items():
        assert calendar.isleap(int(year)) == leap


# @canary@
