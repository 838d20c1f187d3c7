/** Texts about who can create courses of an organisation. */
export const authorWords = {
  title: 'Who can create courses',
  label: 'Instructors can create courses',
  help: 'They can edit and publish the courses they created. Owners can edit all courses.',
  failed: 'Couldn’t change who can create courses',
  on: 'Instructors can now create courses',
  off: 'Instructors can no longer create courses',
}
