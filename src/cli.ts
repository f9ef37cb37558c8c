import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { program } from "./tools/cli/program.ts"
import { teardown } from "./tools/cli/signals.ts"

const args = process.argv.slice(2)

NodeRuntime.runMain(program(args), { teardown: teardown(args.includes("serve")) })
