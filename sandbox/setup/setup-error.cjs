'use strict';

/** Something the user has to decide or install; the message is one sentence that names the way out. */
class SetupError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'SetupError';
  }
}

module.exports = { SetupError };
