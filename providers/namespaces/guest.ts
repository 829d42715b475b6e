/** The inside of every sandbox, as launch.pl and root.pl make it. */
export const GUEST = {
  shell: "/bin/sh",
  user: "sandbox",
  workdir: "/home/sandbox",
  env: {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/home/sandbox",
    USER: "sandbox",
    LOGNAME: "sandbox",
    SHELL: "/bin/sh",
    LANG: "C.UTF-8",
  },
} as const;
