import type { Page } from 'playwright-core'

/** A file on disk, or its content. */
type Upload = string | { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/**
 * Creates a course on the start page of the dashboard, uploads a package, adds its lessons and publishes the course.
 * Throws what the page says if the package is refused.
 */
export async function publishPackage(page: Page, name: string, file: Upload): Promise<void> {
  await button(page, 'Create course')
  const create = page.getByRole('dialog', { name: 'Create course' })
  await create.getByLabel('Name').fill(name)
  await create.getByRole('button', { name: 'Create course' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await button(page, 'Add content package')
  const dialog = page.getByRole('dialog', { name: 'Add content package' })
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose file' }).click()
  await (await chooser).setFiles(file as string)
  const refusal = dialog.getByRole('alert')
  await dialog
    .getByRole('heading', { name: /is ready to use$/ })
    .or(refusal)
    .waitFor()
  if (await refusal.isVisible()) throw new Error(await refusal.innerText())
  await dialog.getByRole('button', { name: 'Add to course' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await button(page, 'Publish')
  await page
    .getByRole('dialog', { name: /^Publish version/ })
    .getByRole('button', { name: 'Publish' })
    .click()
  await page.getByText('Version 1', { exact: true }).waitFor()
}

/** Creates a class of the course that the page shows, and enrols a student. Returns the path of the class. */
export async function openClass(page: Page, name: string, handle: string): Promise<string> {
  await button(page, 'Create class')
  const dialog = page.getByRole('dialog', { name: 'Create class' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create class' }).click()
  await page.getByRole('heading', { level: 1, name: 'Roster' }).waitFor()
  await page.getByLabel('Handle').fill(handle)
  await button(page, 'Enrol')
  await page.getByText('1 active').waitFor()
  return new URL(page.url()).pathname.replace(/\/roster$/, '')
}
