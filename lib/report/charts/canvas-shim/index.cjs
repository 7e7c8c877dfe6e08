// chartjs-node-canvas requires `canvas`, whose installation downloads or compiles a binary. @napi-rs/canvas
// brings prebuilt ones as ordinary packages and offers the same interface under this name.
module.exports = require('@napi-rs/canvas/node-canvas');
