import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import currencyCodes from "currency-codes"
import { Schema } from "effect"
import { Currency } from "../../src/contract/fields.ts"

// Held against the list ISO publishes, which the library brings along.

const list = readFileSync(createRequire(import.meta.url).resolve("currency-codes/iso-4217-list-one.xml"), "utf8")
const entries = list.split("<CcyNtry>").flatMap((entry) => {
  const code = /<Ccy>([A-Z]{3})<\/Ccy>/.exec(entry)?.[1]
  return code === undefined
    ? []
    : [{ code, isFund: /isfund="true"/i.test(entry), place: /<CtryNm>(.*)</.exec(entry)?.[1] ?? "" }]
})
const funds = entries.filter(({ isFund }) => isFund).map(({ code }) => code)
const placeless = entries.filter(({ place }) => /^ZZ/i.test(place)).map(({ code }) => code)
const isCurrency = Schema.is(Currency)

describe("a currency", () => {
  it("is every code of the library but the funds, what belongs to no country, and what banks settle in", () => {
    assert.includeMembers(funds, ["BOV", "CHE", "CLF", "USN"])
    assert.includeMembers(placeless, ["XXX", "XTS", "XAU", "XAG", "XBA"])
    const refused = currencyCodes.codes().filter((code) => !isCurrency(code))
    assert.sameMembers(refused, [...funds, ...placeless, "XDR", "XUA", "XSU", "UYW", "ANG", "BGN", "CUC"])
  })

  it("may be of many countries, and is written in capitals", () => {
    const shared = ["EUR", "USD", "XAF", "XOF", "XPF", "XCD", "XCG"]
    assert.deepStrictEqual(shared.filter(isCurrency), shared)
    assert.deepStrictEqual(["eur", "", "EURO", "ABC", "US$"].filter(isCurrency), [])
  })
})
