import assert from 'node:assert/strict'

const MAX_PAGES = 1000

/**
 * Reads pages until `nextOf` names no further one. Fails after a thousand pages, because a cursor that never ends must
 * fail the test, not hang it.
 */
export async function readPages<Page, Place>(
  first: Place,
  read: (place: Place) => Promise<Page>,
  nextOf: (page: Page, number: number) => Place | undefined,
): Promise<Page[]> {
  const pages: Page[] = []
  let place: Place | undefined = first
  while (place !== undefined) {
    assert.ok(pages.length < MAX_PAGES, `There is still a next page after ${MAX_PAGES}: ${JSON.stringify(place)}`)
    const page = await read(place)
    pages.push(page)
    place = nextOf(page, pages.length)
  }
  return pages
}
