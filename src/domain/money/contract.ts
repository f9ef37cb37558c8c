import { Schema } from "effect"
import { Conflict, Forbidden, NotFound } from "../../contract/errors.ts"
import { fieldsParameter } from "../../contract/field-selection.ts"
import {
  CalendarDate,
  Currency,
  Id,
  LastChange,
  MicrosecondInstantText,
  narrowingField,
  PositiveAmount,
  RecordCode,
  textUpTo
} from "../../contract/fields.ts"
import { editPayloadFields } from "../../contract/immutable-fields.ts"
import { defineFamily, toolMetadata } from "../../contract/operation.ts"
import { PageTotal, pageFields } from "../../contract/page.ts"
import { TRANSACTION_DAYS, TRANSACTION_KEYWORD_LENGTH, TRANSACTION_NOTE_LENGTH } from "../../platform/limits.ts"

// Specification, "Transaction (income or expense entry)" and "Incomes and expenses".

export const TransactionDirection = Schema.Literals(["income", "expense"])
export type TransactionDirection = typeof TransactionDirection.Type

export const TransactionStatus = Schema.Literals(["paid", "outstanding"])
export type TransactionStatus = typeof TransactionStatus.Type

const Note = textUpTo(TRANSACTION_NOTE_LENGTH)

export const Transaction = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the entry, for update_transaction and delete_transaction." }),
  direction: TransactionDirection.annotateKey({
    documentation: "Whether money came in or went out. It never changes."
  }),
  amount: Schema.Finite.annotateKey({
    documentation: "Amount in major units, always positive. `direction` gives the sign."
  }),
  currency: Schema.String.annotateKey({
    documentation: "ISO 4217 code. An entry on a reservation has the currency of the reservation."
  }),
  status: TransactionStatus.annotateKey({
    documentation:
      "`paid`: the money has moved. `outstanding`: an edit has yet to settle the entry; time alone does not settle it."
  }),
  action_at: Schema.String.annotateKey({
    documentation: "Time of the income or expense, ISO 8601 UTC with `Z`. It has the microseconds that were sent."
  }),
  item_id: Id.annotateKey({
    documentation: "Category of the entry. query_income_items or query_expense_items lists it unless it is retired."
  }),
  item_name: Schema.NullOr(Schema.String).annotateKey({
    documentation: "The present name of the category, also for old entries. Null if no list has the id."
  }),
  payment_method_id: Id.annotateKey({
    documentation:
      "Payment method of the entry. query_income_methods or query_expense_methods lists it unless it is retired."
  }),
  payment_method_name: Schema.NullOr(Schema.String).annotateKey({
    documentation: "The present name of the payment method, also for old entries. Null if no list has the id."
  }),
  note: Schema.String.annotateKey({ documentation: "The host's note; empty if there is none." }),
  operator_name: Schema.String.annotateKey({
    documentation: "Account that created the entry; `System` for automatic entries."
  }),
  link_type: Schema.Literals(["property", "reservation", "operator"]).annotateKey({
    documentation: "What the entry belongs to: a property, a reservation, or neither (`operator`)."
  }),
  property_id: Schema.NullOr(Id).annotateKey({
    documentation:
      "Property of the entry. For an entry on a reservation: the property of all its stays, or null if they are not in one property."
  }),
  property_title: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Title of that property; null without it."
  }),
  reservation_code: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Reservation of the entry; null if the entry belongs to a property or the operator."
  }),
  stay_code: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Always equal to `reservation_code`.",
    deprecated: true
  }),
  shares: Schema.Array(
    Schema.Struct({
      property_id: Schema.NullOr(Id).annotateKey({
        documentation: "Property of the stay; null if the stay is unassigned."
      }),
      amount: Schema.Finite.annotateKey({ documentation: "Part of the amount, in major units." })
    })
  ).annotateKey({
    documentation:
      "Parts of the amount, one for each stay of the reservation. They are proportional to the stays' accommodation revenue, or equal if no stay has any. Remaining smallest units go to the largest remainders. Empty without a reservation."
  }),
  created_at: Schema.String.annotateKey({
    documentation: "When the entry was created, ISO 8601 UTC with `Z`, in whole seconds."
  }),
  updated_at: Schema.String.annotateKey({ documentation: "When the entry last changed, ISO 8601 UTC with `Z`." })
})
export type Transaction = typeof Transaction.Type

const operation = defineFamily({ category: "finance", since: "3.4.0", openWorld: false })

export const search_transactions = operation("search_transactions", {
  route: "GET /transactions",
  summary: "List income and expense entries",
  details:
    "Entries are sorted by `action_at`, the newest first, then by `id`, the highest first. If nothing matches, an unknown property or reservation returns 404.",
  payload: {
    id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only the entry with this id. The list is empty if there is none."
    }),
    start_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: `First day of \`action_at\`, in the host's time zone. Required without \`id\`. The range has at most ${TRANSACTION_DAYS} days.`
    }),
    end_date: Schema.optionalKey(CalendarDate).annotateKey({
      description: "Last day of `action_at`, included. Required with `start_date`."
    }),
    property_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only entries on this property, and on reservations with a stay in it."
    }),
    reservation_code: Schema.optionalKey(RecordCode).annotateKey({
      documentation:
        "Only entries on this reservation. Also accepts the code of one of its stays. Together with `stay_code` it returns 400."
    }),
    stay_code: Schema.optionalKey(RecordCode).annotateKey({
      description: "The former name of `reservation_code`.",
      deprecated: true
    }),
    direction: Schema.optionalKey(TransactionDirection).annotateKey({
      documentation: "Only incomes, or only expenses."
    }),
    item_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only entries of this category, from query_income_items or query_expense_items."
    }),
    payment_method_id: Schema.optionalKey(Id).annotateKey({
      documentation: "Only entries with this payment method, from query_income_methods or query_expense_methods."
    }),
    currency: Schema.optionalKey(Currency).annotateKey({
      documentation: "Only entries in this currency, an ISO 4217 code."
    }),
    status: Schema.optionalKey(TransactionStatus).annotateKey({
      documentation: "Only entries with this status. The dates stay required."
    }),
    keyword: Schema.optionalKey(textUpTo(TRANSACTION_KEYWORD_LENGTH)).annotateKey({
      documentation: "Only entries whose note contains this text. Case is ignored."
    }),
    ...fieldsParameter("transactions", Transaction),
    ...pageFields
  },
  success: Schema.Struct({
    transactions: Schema.Array(Transaction).annotateKey({ documentation: "Entries, the newest first." }),
    total: PageTotal
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Lists income and expense entries, newest first. Without id give start_date and end_date of action_at (inclusive, at most ${TRANSACTION_DAYS} days). status outstanding: not settled yet. property_id also finds entries of orders with a stay there; amount is the whole order's, shares are the rooms'. Amounts are positive.`,
    [
      "What did I earn in May?",
      "Show the cleaning costs of the harbour flat this quarter",
      "Which payments are still outstanding?"
    ],
    false
  )
})

const LINK_FIELDS = ["property_id", "reservation_code", "stay_code"]

export const create_transaction = operation("create_transaction", {
  route: "POST /transactions",
  summary: "Record an income or an expense",
  details: `An entry without property and reservation belongs to the operator. Only the main account may create it; other accounts get 403.

The amount of an entry on a reservation is divided among its stays, as \`shares\` shows. To record money for one room, send \`property_id\`.`,
  payload: {
    property_id: narrowingField(Id, LINK_FIELDS).annotateKey({
      documentation:
        "Property of the entry, from search_properties. Together with `reservation_code` or `stay_code` it returns 400. null counts as absent only beside another link; otherwise it returns 400."
    }),
    reservation_code: narrowingField(RecordCode, LINK_FIELDS).annotateKey({
      documentation:
        "Reservation of the entry, from search_reservations. The code of one of its stays means the whole reservation. Together with `stay_code` it returns 400. null counts as absent only beside another link; otherwise it returns 400."
    }),
    stay_code: narrowingField(RecordCode, LINK_FIELDS).annotateKey({
      description: "The former name of `reservation_code`.",
      deprecated: true
    }),
    direction: TransactionDirection.annotateKey({ description: "Whether money came in or went out." }),
    amount: PositiveAmount.annotateKey({
      documentation: "Amount in major units, above zero, with at most the decimals of the currency."
    }),
    currency: Schema.optionalKey(Currency).annotateKey({
      documentation:
        "ISO 4217 code, required without a reservation. With one it may be left out; another currency than the reservation's returns 422."
    }),
    item_id: Id.annotateKey({
      documentation:
        "Category: from query_income_items for an income, from query_expense_items for an expense. Retired and other ids return 422."
    }),
    payment_method_id: Id.annotateKey({
      documentation:
        "Payment method: from query_income_methods for an income, from query_expense_methods for an expense. Retired and other ids return 422."
    }),
    action_at: Schema.optionalKey(MicrosecondInstantText).annotateKey({
      documentation:
        "Time of the income or expense, ISO 8601 with at most six decimals of a second. Without an offset it is in the host's time zone. Default: now. A future time makes the entry `outstanding`, any other `paid`. A date alone returns 400."
    }),
    note: Schema.optionalKey(Note).annotateKey({ documentation: "The host's note. Default: empty." })
  },
  success: Schema.Struct({ transaction_id: Id.annotateKey({ documentation: "Id of the new entry." }) }),
  errors: [NotFound, Forbidden, Conflict],
  exposure: toolMetadata(
    "Records an income or expense on a property (property_id), a whole order (reservation_code) or, with neither, the operator (main account only). item_id and payment_method_id: query_income_… or query_expense_… tools. currency is required without an order. A future action_at makes the entry outstanding. Direction, currency and link cannot change.",
    ["Log 35.50 euro for laundry at Harbour 1", "Book the 200 deposit we got in cash for order 5-QX7M2LD90"],
    true
  )
})

const editableTransactionFields = {
  amount: Schema.optionalKey(PositiveAmount).annotateKey({
    documentation: "Amount in major units, above zero. On a reservation it is divided anew."
  }),
  item_id: Schema.optionalKey(Id).annotateKey({
    documentation: "Category of the entry's direction. A retired one is accepted only if the entry has it."
  }),
  payment_method_id: Schema.optionalKey(Id).annotateKey({
    documentation: "Payment method of the entry's direction. A retired one is accepted only if the entry has it."
  }),
  action_at: Schema.optionalKey(MicrosecondInstantText).annotateKey({
    documentation:
      "Time of the income or expense, ISO 8601 with at most six decimals of a second. Without an offset it is in the host's time zone. A changed time sets the status as on creation, unless the call has `status` `paid`."
  }),
  status: Schema.optionalKey(TransactionStatus).annotateKey({
    documentation: "`paid` settles the entry and keeps its `action_at`. Only `paid` and the present value are accepted."
  }),
  note: Schema.optionalKey(Note).annotateKey({ documentation: "The host's note. An empty text removes it." })
}

export const update_transaction = operation("update_transaction", {
  route: "PATCH /transactions/{id}",
  summary: "Change an income or expense entry",
  details: `A record of search_transactions can be sent back whole. Another value of a field that cannot change returns 422.

- Only the main account may change an entry of the operator; other accounts get 403.
- null in a field that can change returns 400.
- Present values count as a change and send \`transaction_updated\`. A call without a field to change succeeds and sends no event.`,
  payload: editPayloadFields(Transaction, {
    id: Id.annotateKey({
      description: "Id of the entry.",
      documentation: "Id of the entry, from search_transactions."
    }),
    ...editableTransactionFields,
    updated_at: LastChange
  }),
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden, Conflict],
  exposure: toolMetadata(
    "Changes an entry (id: search_transactions); status paid settles it. What you do not send stays. Another action_at sets the status as on creation. Direction, currency and link cannot change: delete it and create another.",
    [
      "The laundry bill was 38, not 35.50",
      "Move yesterday's refund to the category other",
      "The guest has paid the deposit"
    ],
    true
  )
})

export const delete_transaction = operation("delete_transaction", {
  route: "DELETE /transactions/{id}",
  summary: "Delete an income or expense entry",
  details:
    "The entry cannot be restored. Only the main account may delete an entry of the operator; other accounts get 403.",
  payload: {
    id: Id.annotateKey({
      description: "Id of the entry.",
      documentation: "Id of the entry, from search_transactions."
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden],
  exposure: toolMetadata(
    "Deletes an entry for good (id: search_transactions).",
    ["Delete the duplicate cleaning entry of last Friday"],
    true
  )
})

export const ListedDictionaryEntry = Schema.Struct({
  id: Id.annotateKey({
    documentation: "Value of `item_id` or `payment_method_id`. No id is ever used again."
  }),
  name: Schema.String.annotateKey({ documentation: "The present name. The host may have renamed the entry." })
})

const DictionaryEntries = Schema.Array(ListedDictionaryEntry).annotateKey({
  documentation: "Entries by id, without the retired ones."
})

const defineDictionaryOperation = <const Name extends string, Success extends Schema.Top>(
  name: Name,
  options: { readonly path: `/${string}`; readonly success: Success; readonly names: string; readonly example: string }
) =>
  operation(name, {
    route: `GET ${options.path}`,
    summary: `List ${options.names}`,
    details: "Retired entries are not listed. Older transactions that have them still show their names.",
    payload: {},
    success: options.success,
    exposure: toolMetadata(
      `Lists ${options.names}: the service's own and the account's. Keep them for an hour.`,
      [options.example],
      false
    )
  })

export const query_income_items = defineDictionaryOperation("query_income_items", {
  path: "/income_items",
  success: Schema.Struct({ income_items: DictionaryEntries }),
  names: "income categories (item_id)",
  example: "Which income categories are there?"
})

export const query_expense_items = defineDictionaryOperation("query_expense_items", {
  path: "/expense_items",
  success: Schema.Struct({ expense_items: DictionaryEntries }),
  names: "expense categories (item_id)",
  example: "Which expense categories can I use?"
})

export const query_income_methods = defineDictionaryOperation("query_income_methods", {
  path: "/income_methods",
  success: Schema.Struct({ income_methods: DictionaryEntries }),
  names: "ways an income is received (payment_method_id)",
  example: "How can I record that a guest paid in cash?"
})

export const query_expense_methods = defineDictionaryOperation("query_expense_methods", {
  path: "/expense_methods",
  success: Schema.Struct({ expense_methods: DictionaryEntries }),
  names: "ways an expense is paid (payment_method_id)",
  example: "Which payment methods are there for expenses?"
})

export const TransactionOperations = {
  search_transactions,
  create_transaction,
  update_transaction,
  delete_transaction,
  query_income_items,
  query_expense_items,
  query_income_methods,
  query_expense_methods
}
