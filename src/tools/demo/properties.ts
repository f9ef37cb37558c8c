export interface DemoProperty {
  readonly title: string
  readonly city: "Lisbon" | "Edinburgh"
  readonly currency: "EUR" | "GBP"
  /** In major units. */
  readonly nightlyPrice: number
}

const lisbon = (name: string, nightlyPrice: number): DemoProperty => ({
  title: `Lisbon, ${name}`,
  city: "Lisbon",
  currency: "EUR",
  nightlyPrice
})

const edinburgh = (name: string, nightlyPrice: number): DemoProperty => ({
  title: `Edinburgh, ${name}`,
  city: "Edinburgh",
  currency: "GBP",
  nightlyPrice
})

/** Other demo data refers to indexes of this list. */
export const DEMO_PROPERTIES: ReadonlyArray<DemoProperty> = [
  lisbon("Alfama Terrace", 132),
  lisbon("Chiado Loft", 158),
  lisbon("Graça Viewpoint", 96),
  lisbon("Belém Garden Studio", 84),
  edinburgh("Old Town Lodge", 145),
  edinburgh("Leith Harbour 1", 110),
  edinburgh("Leith Harbour 2", 118),
  edinburgh("Stockbridge Mews", 174)
]
