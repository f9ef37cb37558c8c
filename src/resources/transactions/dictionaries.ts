import { Result } from "effect"
import { ValidationFailed } from "../../contract/errors.ts"

/** The four dictionaries entries take their categories and payment methods from. */
export type Dictionary = "income_items" | "expense_items" | "income_methods" | "expense_methods"

/** Which two dictionaries a direction selects (specification, POST /transactions). */
export const dictionariesOf = (direction: "income" | "expense") =>
  direction === "income"
    ? ({ items: "income_items", methods: "income_methods" } as const)
    : ({ items: "expense_items", methods: "expense_methods" } as const)

/**
 * What every operator finds in its dictionaries. The ids 13, 27, 34, 35 and 195 to 198 are the publicly visible ones
 * (contract facts 1.4); the others are ours and, like those, never change their meaning.
 */
const SYSTEM: Readonly<Record<Dictionary, ReadonlyMap<number, string>>> = {
  income_items: new Map([
    [11, "Room fee"],
    [12, "Deposit"],
    [13, "Cleaning fee"],
    [14, "Extra guest fee"],
    [15, "Pet fee"],
    [16, "Compensation"],
    [17, "Other income"]
  ]),
  expense_items: new Map([
    [51, "Cleaning"],
    [52, "Laundry"],
    [53, "Maintenance"],
    [54, "Supplies"],
    [55, "Utilities"],
    [56, "Platform commission"],
    [57, "Rent"],
    [58, "Refund"],
    [59, "Deposit returned"],
    [60, "Other expense"]
  ]),
  income_methods: new Map([
    [27, "Booking site payments"],
    [34, "Stripe"],
    [35, "PayPal"],
    [36, "Bank transfer"],
    [195, "Debit card"],
    [196, "Credit card"],
    [197, "Cash"],
    [198, "Other"]
  ]),
  expense_methods: new Map([
    [301, "Cash"],
    [302, "Bank transfer"],
    [303, "Credit card"],
    [304, "Debit card"],
    [305, "Other"]
  ])
}

export interface DictionaryEntry {
  readonly id: number
  readonly name: string
}

/** 422 for an id that is not in the dictionary of that name, be it one of these or another family's. */
export const notInDictionary = (field: string, dictionary: string): ValidationFailed =>
  new ValidationFailed({ message: `${field}: is not in the dictionary GET /${dictionary}.` })

/** Whether every operator finds the id in that dictionary. */
export const isBuiltIn = (dictionary: Dictionary, id: number): boolean => SYSTEM[dictionary].has(id)

/** Whether the id is in the dictionary: among the built-in ones, or the account's own as `own` says. */
export const inDictionary = (
  field: string,
  dictionary: Dictionary,
  id: number,
  own: boolean
): Result.Result<void, ValidationFailed> =>
  own || isBuiltIn(dictionary, id) ? Result.void : Result.fail(notInDictionary(field, dictionary))

/** The account's name wins; the built-in one serves only where the account's dictionary lacks the entry. */
export const nameOf = (dictionary: Dictionary, id: number, accountName: string | null): string | null =>
  accountName ?? SYSTEM[dictionary].get(id) ?? null

/** The whole dictionary of an account: built-in entries under the account's names, then its own, by id. */
export const merged = (dictionary: Dictionary, own: ReadonlyArray<DictionaryEntry>): ReadonlyArray<DictionaryEntry> =>
  Array.from(new Map([...SYSTEM[dictionary], ...own.map(({ id, name }) => [id, name] as const)]), ([id, name]) => ({
    id,
    name
  })).sort((one, other) => one.id - other.id)
