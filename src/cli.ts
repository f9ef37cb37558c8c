import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { makeTeardown } from "./tools/cli/process-signals.ts"
import { runLatchkey } from "./tools/cli/program.ts"

const args = process.argv.slice(2)

NodeRuntime.runMain(runLatchkey(args), { teardown: makeTeardown(args.includes("serve")) })
