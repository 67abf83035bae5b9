// In a Qt program, with widgets or without: a QSocketNotifier for the client's descriptor and one
// QTimer for its deadline. Everything happens on the thread of the event loop.
#include <QCoreApplication>
#include <QSocketNotifier>
#include <QTimer>

#include "price_watch.h"

static void run(QCoreApplication &app, price_watch *watch, int fd)
{
    QSocketNotifier readable(fd, QSocketNotifier::Read);
    QTimer deadline;
    deadline.setSingleShot(true);
    deadline.setTimerType(Qt::PreciseTimer); // a coarse one may come 5 % late
    const auto step = [&] {
        if (price_watch_step(watch)) {
            deadline.start(price_watch_timeout_ms(watch, 1000));
        } else {
            QCoreApplication::quit();
        }
    };
    QObject::connect(&readable, &QSocketNotifier::activated, &app, step);
    QObject::connect(&deadline, &QTimer::timeout, &app, step);
    deadline.start(0); // the first step connects
    QCoreApplication::exec();
}

int main(int argc, char **argv) // URL CA-FILE TOKEN
{
    QCoreApplication app(argc, argv);
    price_watch watch;
    int fd = -1;
    bool good = price_watch_open(&watch, argc, argv) && tg_client_fd(watch.client, &fd) == TG_OK;
    if (good) {
        run(app, &watch, fd);
        good = watch.shown == watch.wanted;
    }
    price_watch_close(&watch);
    return good ? 0 : 1;
}
