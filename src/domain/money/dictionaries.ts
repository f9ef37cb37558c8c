import { Result, Schema } from "effect"
import { ValidationFailed } from "../../contract/errors.ts"

export const DictionaryName = Schema.Literals(["income_items", "expense_items", "income_methods", "expense_methods"])
export type DictionaryName = typeof DictionaryName.Type

export const selectDictionaries = (direction: "income" | "expense") =>
  direction === "income"
    ? ({ items: "income_items", methods: "income_methods" } as const)
    : ({ items: "expense_items", methods: "expense_methods" } as const)

/** The ids 13, 27, 34, 35 and 195 to 198 are public (contract facts 1.4). No id ever changes its meaning. */
const BUILT_IN_ENTRIES: Readonly<Record<DictionaryName, ReadonlyMap<number, string>>> = {
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

/** The service uses these entries for channel payments and refunds. */
export const ROOM_FEE_ITEM = 11
export const REFUND_ITEM = 58
export const BOOKING_SITE_METHOD = 27
export const INCOME_TRANSFER_METHOD = 36
export const EXPENSE_TRANSFER_METHOD = 302

const USED_BY_SERVICE: Readonly<Record<DictionaryName, ReadonlyArray<number>>> = {
  income_items: [ROOM_FEE_ITEM],
  expense_items: [REFUND_ITEM],
  income_methods: [BOOKING_SITE_METHOD, INCOME_TRANSFER_METHOD],
  expense_methods: [EXPENSE_TRANSFER_METHOD]
}

export const isUsedByService = (dictionary: DictionaryName, id: number): boolean =>
  USED_BY_SERVICE[dictionary].includes(id)

export interface DictionaryEntry {
  readonly id: number
  readonly name: string
}

export interface DictionaryEntryState extends DictionaryEntry {
  readonly retired: boolean
}

export const notInDictionaryError = (field: string, dictionary: string): ValidationFailed =>
  new ValidationFailed({ message: `${field}: is not in the dictionary GET /${dictionary}.` })

export const isBuiltInEntry = (dictionary: DictionaryName, id: number): boolean => BUILT_IN_ENTRIES[dictionary].has(id)

export const getBuiltInEntries = (dictionary: DictionaryName): ReadonlyMap<number, string> =>
  BUILT_IN_ENTRIES[dictionary]

export const checkInDictionary = (
  field: string,
  dictionary: DictionaryName,
  id: number,
  isListed: boolean | null
): Result.Result<void, ValidationFailed> =>
  (isListed ?? isBuiltInEntry(dictionary, id)) ? Result.void : Result.fail(notInDictionaryError(field, dictionary))

export const resolveEntryName = (dictionary: DictionaryName, id: number, accountName: string | null): string | null =>
  accountName ?? BUILT_IN_ENTRIES[dictionary].get(id) ?? null

/** Includes retired entries. An operator's entry replaces the built-in one with its id. */
export const mergeEntries = (
  dictionary: DictionaryName,
  ownEntries: ReadonlyArray<DictionaryEntryState>
): ReadonlyArray<DictionaryEntryState> => {
  const all = new Map<number, DictionaryEntryState>()
  for (const [id, name] of BUILT_IN_ENTRIES[dictionary]) all.set(id, { id, name, retired: false })
  for (const entry of ownEntries) all.set(entry.id, entry)
  return Array.from(all.values()).sort((one, other) => one.id - other.id)
}

export const listSelectableEntries = (
  dictionary: DictionaryName,
  ownEntries: ReadonlyArray<DictionaryEntryState>
): ReadonlyArray<DictionaryEntry> =>
  mergeEntries(dictionary, ownEntries)
    .filter(({ retired }) => !retired)
    .map(({ id, name }) => ({ id, name }))
