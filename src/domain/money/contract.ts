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
import { pageFields } from "../../contract/page.ts"
import { TRANSACTION_DAYS, TRANSACTION_KEYWORD_LENGTH, TRANSACTION_NOTE_LENGTH } from "../../platform/limits.ts"

// Income and expense entries (specification, "Transaction (income or expense entry)" and "Incomes and expenses").

export const TransactionDirection = Schema.Literals(["income", "expense"])
export type TransactionDirection = typeof TransactionDirection.Type

export const TransactionStatus = Schema.Literals(["paid", "outstanding"])
export type TransactionStatus = typeof TransactionStatus.Type

const Note = textUpTo(TRANSACTION_NOTE_LENGTH)

export const Transaction = Schema.Struct({
  id: Id,
  direction: TransactionDirection,
  amount: Schema.Finite.annotateKey({ description: "Always positive, major units; the sign is the direction's." }),
  currency: Schema.String,
  status: TransactionStatus,
  action_at: Schema.String.annotateKey({ description: "ISO 8601 UTC, `…Z`, with the microseconds it was sent with." }),
  item_id: Id,
  item_name: Schema.NullOr(Schema.String),
  payment_method_id: Id,
  payment_method_name: Schema.NullOr(Schema.String),
  note: Schema.String,
  operator_name: Schema.String.annotateKey({ description: "Who created the entry; `System` for automatic ones." }),
  link_type: Schema.Literals(["property", "reservation", "operator"]),
  property_id: Schema.NullOr(Id).annotateKey({
    description: "The linked property; of an order, its property when all its stays are in it."
  }),
  property_title: Schema.NullOr(Schema.String),
  reservation_code: Schema.NullOr(Schema.String),
  stay_code: Schema.NullOr(Schema.String).annotateKey({
    description: "Always equal to reservation_code.",
    deprecated: true
  }),
  shares: Schema.Array(Schema.Struct({ property_id: Schema.NullOr(Id), amount: Schema.Finite })).annotateKey({
    description: "What each room of the order carries of the amount; empty for entries that are on no order."
  }),
  created_at: Schema.String,
  updated_at: Schema.String
})
export type Transaction = typeof Transaction.Type

const operation = defineFamily({ category: "finance", since: "3.4.0", openWorld: false })

export const search_transactions = operation("search_transactions", {
  route: "GET /transactions",
  summary: "List income and expense entries",
  payload: {
    id: Schema.optionalKey(Id),
    start_date: Schema.optionalKey(CalendarDate),
    end_date: Schema.optionalKey(CalendarDate),
    property_id: Schema.optionalKey(Id),
    reservation_code: Schema.optionalKey(RecordCode),
    stay_code: Schema.optionalKey(RecordCode).annotateKey({ deprecated: true }),
    direction: Schema.optionalKey(TransactionDirection),
    item_id: Schema.optionalKey(Id),
    payment_method_id: Schema.optionalKey(Id),
    currency: Schema.optionalKey(Currency),
    status: Schema.optionalKey(TransactionStatus),
    keyword: Schema.optionalKey(textUpTo(TRANSACTION_KEYWORD_LENGTH)),
    ...fieldsParameter("transactions", Transaction),
    ...pageFields
  },
  success: Schema.Struct({ transactions: Schema.Array(Transaction), total: Schema.Int }),
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

/** The fields that say what an entry is on. */
const LINK_FIELDS = ["property_id", "reservation_code", "stay_code"]

export const create_transaction = operation("create_transaction", {
  route: "POST /transactions",
  summary: "Record an income or an expense",
  payload: {
    // Without any of these the entry is the operator's.
    property_id: narrowingField(Id, LINK_FIELDS),
    reservation_code: narrowingField(RecordCode, LINK_FIELDS),
    stay_code: narrowingField(RecordCode, LINK_FIELDS).annotateKey({ deprecated: true }),
    direction: TransactionDirection,
    amount: PositiveAmount,
    currency: Schema.optionalKey(Currency),
    item_id: Id,
    payment_method_id: Id,
    action_at: Schema.optionalKey(MicrosecondInstantText),
    note: Schema.optionalKey(Note)
  },
  success: Schema.Struct({ transaction_id: Id }),
  errors: [NotFound, Forbidden, Conflict],
  exposure: toolMetadata(
    "Records an income or expense on a property (property_id), a whole order (reservation_code) or, with neither, the operator (main account only). item_id and payment_method_id: query_income_… or query_expense_… tools. currency is required without an order. A future action_at makes the entry outstanding. Direction, currency and link cannot change.",
    ["Log 35.50 euro for laundry at Harbour 1", "Book the 200 deposit we got in cash for order 5-QX7M2LD90"],
    true
  )
})

/** What an edit can change of an entry. */
const editableTransactionFields = {
  amount: Schema.optionalKey(PositiveAmount),
  item_id: Schema.optionalKey(Id),
  payment_method_id: Schema.optionalKey(Id),
  action_at: Schema.optionalKey(MicrosecondInstantText),
  /** Only `paid` can be set (rules.ts). */
  status: Schema.optionalKey(TransactionStatus),
  note: Schema.optionalKey(Note)
}

export const update_transaction = operation("update_transaction", {
  route: "PATCH /transactions/{id}",
  summary: "Change an entry",
  payload: editPayloadFields(Transaction, { id: Id, ...editableTransactionFields, updated_at: LastChange }),
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
  summary: "Delete an entry for good",
  payload: { id: Id },
  success: Schema.Struct({}),
  errors: [NotFound, Forbidden],
  exposure: toolMetadata(
    "Deletes an entry for good (id: search_transactions).",
    ["Delete the duplicate cleaning entry of last Friday"],
    true
  )
})

/** An item or a payment method. */
export const ListedDictionaryEntry = Schema.Struct({ id: Id, name: Schema.String })

const defineDictionaryOperation = <const Name extends string, Success extends Schema.Top>(
  name: Name,
  options: { readonly path: `/${string}`; readonly success: Success; readonly names: string; readonly example: string }
) =>
  operation(name, {
    route: `GET ${options.path}`,
    summary: `The dictionary of ${options.names}`,
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
  success: Schema.Struct({ income_items: Schema.Array(ListedDictionaryEntry) }),
  names: "income categories (item_id)",
  example: "Which income categories are there?"
})

export const query_expense_items = defineDictionaryOperation("query_expense_items", {
  path: "/expense_items",
  success: Schema.Struct({ expense_items: Schema.Array(ListedDictionaryEntry) }),
  names: "expense categories (item_id)",
  example: "Which expense categories can I use?"
})

export const query_income_methods = defineDictionaryOperation("query_income_methods", {
  path: "/income_methods",
  success: Schema.Struct({ income_methods: Schema.Array(ListedDictionaryEntry) }),
  names: "ways an income is received (payment_method_id)",
  example: "How can I record that a guest paid in cash?"
})

export const query_expense_methods = defineDictionaryOperation("query_expense_methods", {
  path: "/expense_methods",
  success: Schema.Struct({ expense_methods: Schema.Array(ListedDictionaryEntry) }),
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
