import { plural } from '../../parts/words.ts'

/** Texts of the course editor. */
export const editingWords = {
  move: (name: string) => `Move ${name}. Drag it, or press Alt and an arrow key.`,
  movedTo: (name: string, position: number, count: number) => `${name} moved to position ${position} of ${count}`,
  movedInto: (name: string, lesson: string, position: number, count: number) =>
    `${name} moved to ${lesson}, position ${position} of ${count}`,
  actionsOf: (name: string) => `Actions for ${name}`,
  copyOf: (name: string) => `Copy of ${name}`,
  duplicate: 'Duplicate',
  duplicated: (name: string) => `${name} created`,
  remove: 'Delete',
  preview: 'Preview as a student',
  mistakes: (count: number) => `${plural(count, 'thing')} to correct`,
  saveFailed: 'The draft was not saved',
  publishFailed: 'The course was not published',
  course: 'Course',
  between: (least: number, most: number, isWhole: boolean) =>
    `Enter a ${isWhole ? 'whole ' : ''}number from ${least} to ${most.toLocaleString('en')}`,
  correct: (name: string) => `Correct ${name}`,

  duplicateCourse: {
    open: 'Duplicate course',
    text: 'The copy is a draft with the same lessons and objectives. Classes and results are not copied.',
    go: 'Duplicate',
    failed: 'Couldn’t duplicate the course',
    done: (name: string) => `${name} created`,
  },
  previewPage: {
    banner: 'This is a preview of the draft. Nothing you do here is recorded.',
    lead: 'What students see',
    lessons: 'Lessons',
    edit: 'Back to the editor',
    all: 'All lessons',
    previous: 'Previous',
    next: 'Next',
    empty: 'The course has no lessons yet',
  },
  ask: {
    title: 'Want to create a course?',
    text: (organisation: string, owners: string) =>
      `In ${organisation}, ask ${owners} to let instructors create courses.`,
    and: (names: readonly string[]) =>
      names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
  },
}
