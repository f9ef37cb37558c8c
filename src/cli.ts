import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { runLatchkey } from "./tools/cli/program.ts"
import { makeTeardown } from "./tools/cli/signals.ts"

const args = process.argv.slice(2)

NodeRuntime.runMain(runLatchkey(args), { teardown: makeTeardown(args.includes("serve")) })
