/* The version of Cairn. The build reads these three lines; nothing else states the version. */
#pragma once

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 2
#define CAIRN_VERSION_PATCH 0
