#include "spdlog_async.h"

#include <memory>

#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

static std::shared_ptr<spdlog::logger> logger;

extern "C" void spdlog_async_open(const char *path, size_t queue)
{
    spdlog::init_thread_pool(queue, 1);
    logger = spdlog::basic_logger_mt<spdlog::async_factory>("bench", path, true);
}

extern "C" void spdlog_async_put(uint32_t first, uint32_t count, int64_t bid, int64_t ask)
{
    for (uint32_t i = first; i < first + count; i++) {
        logger->info("id {} bid {} ask {} seq {}", i, bid + i, ask, static_cast<uint64_t>(i));
    }
}

extern "C" void spdlog_async_close(void)
{
    logger.reset();
    spdlog::shutdown(); /* joins the thread of the pool, which empties its queue first */
}
