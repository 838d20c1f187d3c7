/** Texts of the dialog that duplicates a class. */
export const duplicateWords = {
  open: 'Duplicate class',
  text: 'The copy has the same settings and staff. Students, results and dates are not copied.',
  name: 'Name of the copy',
  version: 'Version of the course',
  newest: 'Newest version',
  same: (version: number) => `The same version (${version})`,
  go: 'Duplicate',
  failed: 'Couldn’t duplicate the class',
  missingName: 'Enter a name',
  copyOf: (name: string) => `Copy of ${name}`.slice(0, 200),
}
