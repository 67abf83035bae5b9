// Plays a transcript: what each step does to the message layer and to what a client knows.
import { channelOf, fromHex, outcome } from './vector.mjs';
import { decode } from './messages.mjs';
import { Session, afterClose } from './session.mjs';
import { Channel } from './channel.mjs';

export class Player {
  constructor() {
    this.session = new Session();
    this.channel = channelOf();
  }

  /** A step without its expectation, and what comes of it. */
  play(step) {
    if (step.event === 'connect') {
      this.session.connect();
      return { view: this.session.view() };
    }
    if (step.close !== undefined) return afterClose(step.close, step.reason ?? '');
    const bytes = fromHex(step.bytes);
    const told = outcome(bytes, step.from, this.channel);
    if (told.message?.kind === 'WELCOME') {
      this.channel = new Channel(BigInt(told.message.time_resolution_ns), { boundary: BigInt(told.message.boundary) });
    }
    if (step.from === 'client') {
      this.session.sent(decode(bytes, 'client').message);
      return told;
    }
    return { ...told, effects: this.session.receive(bytes), view: this.session.view() };
  }
}
