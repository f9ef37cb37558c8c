import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { lockedPackages } from "./handed-over.ts"

// What is run beside our own code: exactly which, from where, and under which licence.

/** Licences under which what is delivered with the service may be used in any product, changed or not. */
const LICENCES = new Set([
  "MIT",
  "MIT/X11",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "MIT-0",
  "BlueOak-1.0.0"
])

/** Others, each with the reason why it may be here. */
const BY_NAME: Readonly<Record<string, string>> = {
  // Of files: it asks those who change its own files to publish them, and nothing of who uses them unchanged.
  "node_modules/ical.js": "MPL-2.0",
  // Of data: it asks for its notice beside copies, which the package brings, and nothing else.
  "node_modules/cldr-core": "Unicode-3.0"
}

describe("dependencies", () => {
  it("are named to the last digit", () => {
    const named = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies })
    assert.isAbove(named.length, 20)
    for (const [name, version] of named) assert.match(version, /^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/, name)
  })

  it("are locked with a digest that npm ci checks", () => {
    assert.isAbove(lockedPackages.length, 100)
    for (const [place, { version, integrity }] of lockedPackages) {
      assert.match(version ?? "", /^\d/, place)
      assert.match(integrity ?? "", /^sha512-[A-Za-z0-9+/]{86}==$/, place)
    }
  })

  it("of the service have licences that ask nothing of who runs it", () => {
    const delivered = lockedPackages.filter(([, { dev }]) => dev !== true)
    assert.isAbove(delivered.length, 20)
    for (const [place, { license = "none" }] of delivered) {
      assert.isTrue(LICENCES.has(license) || BY_NAME[place] === license, `${place} has the licence ${license}`)
    }
    for (const place of Object.keys(BY_NAME))
      assert.include(
        delivered.map(([each]) => each),
        place
      )
  })
})
