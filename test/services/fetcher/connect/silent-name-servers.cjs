// Loaded before the command: its name servers are one that never answers (SILENT_NAME_SERVER, an address with its port).
const { promises } = require('node:dns');

const { Resolver } = promises;
promises.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.SILENT_NAME_SERVER]);
  }
};
