#include "CManual.h"

// `#embed` is C23, which clang takes in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char start_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Start.md"
    , 0};
static const char ways_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Ways.md"
    , 0};
static const char screen_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Screen.md"
    , 0};
static const char keys_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Keys.md"
    , 0};
static const char jobs_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Jobs.md"
    , 0};
static const char stubs_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Stubs.md"
    , 0};
static const char templates_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Templates.md"
    , 0};
static const char faults_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Faults.md"
    , 0};
static const char filter_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Filter.md"
    , 0};
static const char history_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/History.md"
    , 0};
static const char jsonl_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Jsonl.md"
    , 0};
static const char scripts_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Scripts.md"
    , 0};
static const char tests_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Tests.md"
    , 0};
static const char config_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Config.md"
    , 0};
static const char themes_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Themes.md"
    , 0};
static const char secrets_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Secrets.md"
    , 0};
static const char limits_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Limits.md"
    , 0};
static const char inside_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Inside.md"
    , 0};

static const char moving_page[] = {
#embed "../PatchbayManual/PatchbayManual.docc/Moving.md"
    , 0};

// The order is that of `Manual.pages`.
static const char *const pages[] = {
    start_page,
    ways_page,
    screen_page,
    keys_page,
    jobs_page,
    stubs_page,
    templates_page,
    faults_page,
    filter_page,
    history_page,
    jsonl_page,
    scripts_page,
    tests_page,
    config_page,
    themes_page,
    secrets_page,
    limits_page,
    inside_page,
    moving_page,
};

const char *patchbay_manual_page(int number) { return pages[number]; }
