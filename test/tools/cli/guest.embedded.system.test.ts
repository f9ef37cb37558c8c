import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { failureMessageOf } from "../../support/tools/cli/command-failures.ts"
import { makeEmptyFolder } from "../../support/tools/cli/latchkey-process.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"
import {
  ERASABLE_WORD,
  ERASED_EMAIL,
  findTablesWithWord,
  insertErasableGuest
} from "../../support/tools/privacy/erasable-guest.ts"

layer(layerRunningService, { excludeTestServices: true })("latchkey guest", (it) => {
  it.effect("hands out what is known of a guest, and forgets it", () =>
    Effect.gen(function* () {
      const past = yield* insertErasableGuest()
      const coming = yield* insertErasableGuest({
        host: past,
        word: "Quordle",
        email: "quordle@guest.example",
        checkIn: "2099-01-01",
        checkOut: "2099-01-03"
      })
      const whose = ["--operator", String(past.operator.operatorId)]
      const guest = (...args: ReadonlyArray<string>) => runBesideService(["guest", ...args])
      const file = join(yield* makeEmptyFolder, "guest.jsonl")

      for (const [args, said] of [
        [["export", ...whose, file], /^--order: .*--email\b.*--phone\b/],
        [
          ["erase", ...whose, "--email", ERASED_EMAIL, "--order", past.reservationCode],
          /^--order: .*--email\b.*--phone\b/
        ],
        [["erase", ...whose, "--phone", "+49 151"], /^--phone: .*\b6\b/],
        [["erase", ...whose, "--email", "nobody@guest.example"], new RegExp(`\\b${whose[1]}\\b.*\\bno data\\b`)],
        [["erase", "--operator", "999999", "--email", ERASED_EMAIL], /\b999999\b.*\bno data\b/]
      ] as const) {
        assert.match(failureMessageOf(yield* guest(...args)), said)
      }
      assert.throws(() => statSync(file))

      const made = yield* guest("export", ...whose, "--email", ERASED_EMAIL, file)
      assert.match(made.stdout, /^\S+: \d+ records and 2 images of 1 order \(1 stay\) and 1 conversation\.\n$/)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include(readFileSync(file, "utf8"), ERASABLE_WORD)
      assert.match(
        (yield* guest("export", ...whose, "--email", ERASED_EMAIL, file)).stderr,
        /^latchkey: FILE: .*\bEEXIST\b/
      )

      const current = yield* guest("erase", ...whose, "--order", coming.reservationCode)
      assert.match(failureMessageOf(current), new RegExp(`^--even-current: .*\\b${coming.reservationCode}\\b`))
      const meant = yield* guest("erase", ...whose, "--order", coming.reservationCode, "--even-current", "--json")
      assert.deepStrictEqual(JSON.parse(meant.stdout), { orders: 1, stays: 1, conversations: 1 })
      const erased = yield* guest("erase", ...whose, "--email", ERASED_EMAIL)
      assert.match(erased.stdout, /\b1 order \(1 stay\) .*\b1 conversation\b/)
      // Bytes of images go with the next look of a service.
      assert.deepStrictEqual(yield* findTablesWithWord(ERASABLE_WORD, past.operator.operatorId), ["image_bytes"])
      const { stdout } = yield* runBesideService(["audit", ...whose])
      assert.include(stdout, "guest export")
      assert.include(stdout, "guest erase")
      assert.notInclude(stdout, ERASABLE_WORD)
    }).pipe(Effect.scoped)
  )
})
