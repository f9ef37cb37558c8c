import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeEmptyFolder } from "../support/tools/cli/latchkey-process.ts"
import { ROOT, replaced, textOf } from "./handed-over.ts"
import { orWithout, programNamed } from "./programs.ts"

// What systemd makes of the units that are handed over, and what they promise each other.

const SERVICES = ["latchkey.service", "latchkey-backup.service"]
const TIMER = "latchkey-backup.timer"

/** Every value of a setting of a unit, in its order. */
const said = (unit: string, setting: string): ReadonlyArray<string> =>
  Array.from(textOf(`deploy/${unit}`).matchAll(new RegExp(`^${setting}=(.*)$`, "gm")), ([, value = ""]) => value)

/** What a service must not be given, whichever of the two it is. */
const HARDENED: Readonly<Record<string, ReadonlyArray<string>>> = {
  User: ["latchkey"],
  NoNewPrivileges: ["yes"],
  CapabilityBoundingSet: [""],
  AmbientCapabilities: [""],
  ProtectSystem: ["strict"],
  ProtectHome: ["yes"],
  PrivateTmp: ["yes"],
  PrivateDevices: ["yes"],
  SystemCallFilter: ["@system-service", "~@privileged @resources"],
  // Node could not run.
  MemoryDenyWriteExecute: []
}

describe("the units of systemd", () => {
  it("take nothing that a service does not need", () => {
    for (const unit of SERVICES) {
      for (const [setting, values] of Object.entries(HARDENED)) {
        assert.deepStrictEqual(said(unit, setting), values, `${setting} of ${unit}`)
      }
    }
  })

  it("wait for a stop as long as it may take with the drain that is handed over", () => {
    const [drain = "none"] = said("latchkey.env", "DRAIN_SECONDS")
    const [patience = "none"] = said("latchkey.service", "TimeoutStopSec")
    // The parent ends a worker that has not ended within 15 s beside its drain.
    assert.isAbove(Number(patience), 15 + Number(drain))
  })

  it("read the same settings", () => {
    for (const unit of SERVICES) assert.deepStrictEqual(said(unit, "EnvironmentFile"), ["/etc/latchkey/latchkey.env"])
    assert.include(textOf("deploy/latchkey"), "EnvironmentFile=/etc/latchkey/latchkey.env")
  })
})

const analyze = programNamed("systemd-analyze")
const missing = analyze === undefined ? ["systemd-analyze"] : []

describe.skipIf(missing.length > 0)(orWithout(missing, "systemd-analyze"), () => {
  const analyzed = (folder: string, ...args: ReadonlyArray<string>) => {
    for (const unit of [...SERVICES, TIMER]) {
      const text = textOf(`deploy/${unit}`)
      // The programs of this checkout, in the place of those that are not installed on this machine.
      const here = unit === TIMER ? text : replaced(text, { "/opt/latchkey/current": ROOT })
      writeFileSync(join(folder, unit), here)
    }
    const { status, stdout, stderr } = spawnSync(analyze ?? "", args, { cwd: folder, encoding: "utf8" })
    return { status, said: `${stdout}${stderr}` }
  }

  it.live("has nothing against them", () =>
    Effect.gen(function* () {
      const folder = yield* makeEmptyFolder
      assert.deepStrictEqual(analyzed(folder, "verify", ...SERVICES.map((unit) => `./${unit}`), `./${TIMER}`), {
        status: 0,
        said: ""
      })
    }).pipe(Effect.scoped)
  )

  it.live("finds them little exposed", () =>
    Effect.gen(function* () {
      const folder = yield* makeEmptyFolder
      for (const unit of SERVICES) {
        // Fails above 2.0 of 10: the network, local sockets and the system's files to read are what is left.
        const { status, said } = analyzed(folder, "security", "--offline=true", "--threshold=20", `./${unit}`)
        assert.strictEqual(status, 0, said)
      }
    }).pipe(Effect.scoped)
  )
})
