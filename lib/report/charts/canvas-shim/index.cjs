// chartjs-node-canvas requires the package `canvas`, whose installation downloads or compiles a binary. This package takes that name and
// exports the same interface of @napi-rs/canvas, whose prebuilt binaries are ordinary packages.
module.exports = require('@napi-rs/canvas/node-canvas');
