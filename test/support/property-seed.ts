import fc from 'fast-check';

// Two runs of the same commit try the same inputs. `PROPERTY_SEED=<number>` tries others.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
