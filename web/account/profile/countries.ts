/** Known to the names' source, but no countries of ISO 3166. Kosovo is none either, and stays: people live there. */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const { compare } = new Intl.Collator('en')

/** Codes that were given up have the name of the country that came after: not twice in the list. */
const isCurrent = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code

/** Every country with its English name, in the order of the names. */
export const COUNTRIES: readonly { readonly code: string; readonly name: string }[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => !NO_COUNTRIES.has(code) && isCurrent(code))
  .flatMap((code) => {
    const name = names.of(code)
    return name === undefined ? [] : [{ code, name }]
  })
  .sort((one, other) => compare(one.name, other.name))

/** One that is in no list has no name but its code. */
export const countryName = (code: string): string => COUNTRIES.find((one) => one.code === code)?.name ?? code

/** For a field to choose from. One that is in no list, from an import, stays as it is. */
export const countryChoices = (chosen: string, notSaid: string): { value: string; label: string }[] => [
  { value: '', label: notSaid },
  ...(chosen === '' || COUNTRIES.some(({ code }) => code === chosen) ? [] : [{ value: chosen, label: chosen }]),
  ...COUNTRIES.map(({ code, name }) => ({ value: code, label: name })),
]
