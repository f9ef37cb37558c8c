/**
 * Matches the start of a cell that a spreadsheet may read as a formula. East Asian editions also accept full-width
 * signs.
 */
const FORMULA_START = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠﹦﹢﹣﹫])/

/** Puts an apostrophe before a formula, so that a spreadsheet does not run a guest's text. */
const toCsvCell = (text: string): string => {
  const safeText = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safeText) || safeText !== safeText.trim() ? `"${safeText.replaceAll('"', '""')}"` : safeText
}

export interface CsvColumn<Row> {
  readonly name: string
  readonly toText: (row: Row) => string
}

export const trimDecimals = (amount: string): string => (amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount)

/** Without a byte order mark, spreadsheets do not read the file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF"

/** Returns the file with a header line. Lines end as RFC 4180 says. */
export const renderCsv = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string => {
  const lines = [
    columns.map(({ name }) => name),
    ...rows.map((row) => columns.map(({ toText }) => toCsvCell(toText(row))))
  ]
  return `${BYTE_ORDER_MARK}${lines.map((line) => `${line.join(",")}\r\n`).join("")}`
}
